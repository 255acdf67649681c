# SPDX-License-Identifier: MIT
# The barrier's tests that are switched off while nobody needs them, and switched on again (runtime/check/sites.c). The
# nodes are in mappings made after that, which are trusted: a store that goes unseen leaves a verdict that is wrong.
. "$(dirname "$0")/lib.sh"
cd "$T" || exit 3
if [ "$(nm "$BUILD/librefrain-rt.a" 2> /dev/null | grep -c __asan_report)" -gt 0 ]; then
	skip "switched tests" "the runtime is built with a sanitizer"
	exit 0
fi
CCRF=$BUILD/refrain-cc

cat > list.h << 'END'
struct list { struct list *next; long v; };
int probe(struct list *l);
END
cat > list.c << 'END'
#include "list.h"
/*@ regtype list : struct list = null | { next : list, v : int(0..9) };
    pred probe(l) : list(l); */
int probe(struct list *l) { return l != 0; }
END
# says how many violations were found before and after a store of 77, in a list that was verified
cat > main.c << 'END'
#define _GNU_SOURCE
#include "list.h"
#include <dlfcn.h>
#include <pthread.h>
#include <refrain/check.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static volatile long bad = 77;
static void *wait_for(void *p) { pause(); return p; }
__attribute__((noinline)) static void set(struct list *l, long v) { l->v = v; }
static unsigned long long found(int (*f)(struct list *), struct list *l)
{
	struct rf_check_stats s;
	f(l);
	rf_check_get_stats(&s);
	return s.violations;
}
int main(int argc, char **argv)
{
	int (*f)(struct list *) = 0;
	const char *how = argc > 1 ? argv[1] : "";
	pthread_t t;
	if (strstr(how, "thread"))
		pthread_create(&t, 0, wait_for, 0);
#ifdef LIBRARY
	void *h = dlopen("./liblist.so", RTLD_NOW);
	f = h ? (int (*)(struct list *))dlsym(h, "probe") : 0;
#else
	f = probe;
#endif
	if (strstr(how, "configure"))
		rf_check_configure("count");
	struct list *l = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (!f || l == MAP_FAILED)
		return 3;
	l->next = l + 1;
	unsigned long long before = found(f, l);
	found(f, l);
	set(l + 1, bad);
	unsigned long long after = found(f, l);
	if (strstr(how, "twice")) {
		rf_check_configure("off");
		set(l + 1, 5);
		set(l + 1, 1);
		rf_check_configure("count");
		before = found(f, l);
		set(l, bad);
		after = found(f, l);
	}
	printf("%llu %llu\n", before, after);
	return 0;
}
END

for cc in gcc clang; do
	section "$cc: tests before stores, switched off and on"
	command -v $cc > /dev/null || { absent "$cc" "not installed"; continue; }
	export RF_CC=$cc
	for flags in "-O0" "-O2" "-O2 -flto" "-O2 -fno-pie -no-pie"; do
		ok "$flags: compiles" "$CCRF" $flags -I"$top/include" main.c list.c -o prog
		is "$flags: on from the start" "$(RF_CHECK=count ./prog)" "0 1"
		is "$flags: off" "$(RF_CHECK=off ./prog)" "0 0"
		is "$flags: off, then on" "$(RF_CHECK=off ./prog configure)" "0 1"
		is "$flags: on, off and on again" "$(RF_CHECK=count ./prog twice)" "0 1"
		is "$flags: off, then on with two threads" "$(RF_CHECK=off ./prog configure,thread)" "0 1"
	done
	ok "a library with contracts" "$CCRF" -O2 -fPIC -shared list.c -o liblist.so
	ok "a program without" "$CCRF" -O2 -DLIBRARY -I"$top/include" main.c -ldl -o prog
	is "the library comes later" "$(RF_CHECK=count ./prog)" "0 1"
	is "the library comes later, with two threads" "$(RF_CHECK=count ./prog thread)" "0 1"
done
