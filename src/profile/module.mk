# SPDX-License-Identifier: MIT
# libdw reads signatures; where the installed tools are (runtime/valgrind)
MODULE_LIBS += -ldw -lelf
