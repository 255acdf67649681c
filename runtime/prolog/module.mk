# SPDX-License-Identifier: MIT
# The Prolog host is compiled by gplc with each program: its sources are what is installed.
INSTALL_HOOKS += install-prolog
UNINSTALL_HOOKS += uninstall-prolog
.PHONY: install-prolog uninstall-prolog
install-prolog:
	install -d $(DESTDIR)$(LIBEXECDIR)/prolog $(DESTDIR)$(BINDIR)
	install -m 644 runtime/prolog/check.c runtime/prolog/expand.pl $(DESTDIR)$(LIBEXECDIR)/prolog/
	install -m 755 runtime/prolog/refrain-gplc $(DESTDIR)$(LIBEXECDIR)/prolog/
	ln -sf $(LIBEXECDIR)/prolog/refrain-gplc $(DESTDIR)$(BINDIR)/refrain-gplc
uninstall-prolog:
	rm -f $(DESTDIR)$(BINDIR)/refrain-gplc
	rm -rf $(DESTDIR)$(LIBEXECDIR)/prolog
