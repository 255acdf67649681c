#!/bin/sh
# SPDX-License-Identifier: MIT
# refrain/trace.h from outside the tree, in C and in C++: it counts what `refrain trace simulate` and `mrc` count.
. "$(dirname "$0")/lib.sh"
: "${CC:=cc}"
case $BUILD in
*/asan) sanitize=-fsanitize=address,undefined ;;
*) sanitize= ;;
esac
build=$(cd "$BUILD" && pwd)
ln -s "$build/librefrain.so" "$T/librefrain.so.0"
export LD_LIBRARY_PATH="$T"
awk 'BEGIN { for (i = 0; i < 30000; i++) { x = (x * 1103515245 + 12345) % 2147483648; j = int(x / 65536);
	if (i % 5 == 0) print i % 150; else if (j % 3) print j % 60; else printf "184467440737095%05d\n", j % 220 } }' > "$T/keys"
cp "$top/examples/trace/policies.c" "$T/"
cd "$T" || exit 3

# shellcheck disable=SC2086
ok "the example compiles without warnings" $CC -std=c11 -Wall -Wextra -pedantic -Werror $sanitize -I"$top/include" policies.c -o policies ./librefrain.so.0
./policies 48 < keys > got 2> err
"$REFRAIN" trace simulate --policy=all --size=48 --seed=0 --csv keys | sed 1d | grep -v '^opt,' | awk -F, '{ print $1, $2, $4 }' | sort > want
grep -v '^curve' got | sort > sims
ok "every policy but opt misses as often as in refrain trace simulate" cmp sims want
is "more than a dozen policies were compared" "$(awk 'END { print (NR > 12) }' want)" 1
"$REFRAIN" trace mrc --csv keys | sed 1d | awk -F, '{ m[$1] = $2; n = $1 } END { for (s = 1; s <= n; s *= 2) print "curve", s, m[s] }' > want
grep '^curve' got > curve
ok "the curve is that of refrain trace mrc" cmp curve want
has "a policy that cannot have the size is refused with the reason" err "policy 'single' cannot have size 48"
has "so is one that needs the future" err "policy 'opt' needs the whole trace at once"

cp "$top/examples/trace/levels.c" .
# shellcheck disable=SC2086
ok "the second example compiles without warnings" $CC -std=c11 -Wall -Wextra -pedantic -Werror $sanitize -I"$top/include" levels.c -o levels ./librefrain.so.0
./levels 20 60 < keys > got
"$REFRAIN" trace simulate --size=20 --misses-to=missed.txt --csv keys > one
"$REFRAIN" trace simulate --policy=sieve --size=60 --csv missed.txt > two
knee=$("$REFRAIN" trace mrc --json missed.txt | sed -n "s/.*\"knee\":\([0-9]*\).*/\1/p")
{
	awk -F, 'NR == 2 { print "first level: " $4 " of " $3 " missed" }' one
	awk -F, 'NR == 2 { print "second level: " $4 " of " $3 " missed" }' two
	"$REFRAIN" trace mrc --csv missed.txt | awk -F, -v k="$knee" '$1 == k { print "an LRU cache of " k " there would miss " $2 }'
} > want
ok "two levels in one process are a pipe of refrain trace" cmp got want
is "three lines were compared" "$(wc -l < want | tr -d " ")" 3

cat > plus.cc << 'END'
#include <refrain/trace.h>
#include <cstdio>
#include <cstring>
#include <vector>

int main()
{
	std::vector<uint64_t> keys, sizes;
	uint64_t bytes = 0;
	std::FILE *csv = std::fopen("keys.csv", "w");
	for (unsigned long key; std::scanf("%lu", &key) == 1;) {
		keys.push_back(key);
		sizes.push_back(key % 7 + 1);
		bytes += key % 7 + 1;
		std::fprintf(csv, "%lu,%lu\n", key, key % 7 + 1);
	}
	std::fclose(csv);
	rf_cache_sim_config config = rf_cache_sim_config();
	config.size = 100;
	config.by_bytes = true;
	rf_cache_sim *sim;
	rf_error error;
	if (rf_cache_sim_new(&sim, &config, &error) != RF_OK)
		return 1;
	if (rf_cache_sim_feed(sim, keys.data(), nullptr, keys.size(), &error) != RF_INPUT || !*error.text)
		return 2; /* it needs the sizes */
	if (rf_cache_sim_feed(sim, keys.data(), sizes.data(), keys.size(), &error) != RF_OK || error.status != RF_OK)
		return 3;
	std::printf("%lu %lu %.6f\n", (unsigned long)rf_cache_sim_requests(sim), (unsigned long)rf_cache_sim_misses(sim),
		    (double)rf_cache_sim_miss_bytes(sim) / (double)bytes);
	rf_cache_sim_free(sim);
	config.by_bytes = false;
	std::vector<uint8_t> missed(keys.size(), 9);
	rf_cache_sim *each;
	if (rf_cache_sim_new(&sim, &config, &error) != RF_OK || rf_cache_sim_new(&each, &config, &error) != RF_OK)
		return 13;
	if (rf_cache_sim_look(sim, keys.data(), nullptr, keys.size(), missed.data(), &error) != RF_OK)
		return 14;
	for (size_t i = 0; i < keys.size(); i++) { /* longer than what goes through at once inside */
		uint64_t before = rf_cache_sim_misses(each);
		rf_cache_sim_feed(each, &keys[i], nullptr, 1, nullptr);
		if (missed[i] != rf_cache_sim_misses(each) - before)
			return 15;
	}
	rf_cache_sim_free(each);
	rf_cache_sim_free(sim);
	rf_miss_curve *curve = rf_miss_curve_new();
	if (rf_miss_curve_misses(curve, 5) != 0 || rf_miss_curve_feed(curve, keys.data(), 1, nullptr) != RF_OK)
		return 4;
	if (rf_miss_curve_misses(curve, 5) != 1 || rf_miss_curve_feed(curve, keys.data(), 1, nullptr) != RF_OK)
		return 5;
	if (rf_miss_curve_misses(curve, 5) != 1 || rf_miss_curve_misses(curve, 0) != 2 || rf_miss_curve_requests(curve) != 2)
		return 6; /* a feed after a look counts */
	rf_miss_curve *sampled;
	if (rf_miss_curve_new_sampled(&sampled, 2, &error) != RF_INPUT || sampled || !*error.text)
		return 8;
	if (rf_miss_curve_new_sampled(&sampled, 0.5, &error) != RF_OK || rf_miss_curve_knee(sampled) || rf_miss_curve_smallest(sampled))
		return 9;
	if (rf_miss_curve_feed(sampled, keys.data(), keys.size(), nullptr) != RF_OK || rf_miss_curve_smallest(sampled) != 1)
		return 10; /* few keys are all followed */
	rf_miss_curve_feed(curve, keys.data() + 1, 1, nullptr);
	rf_miss_curve *exact = rf_miss_curve_new();
	rf_miss_curve_feed(exact, keys.data(), keys.size(), nullptr);
	for (uint64_t size = 0; size < 400; size++)
		if (rf_miss_curve_misses(exact, size) != rf_miss_curve_misses(sampled, size))
			return 11;
	if (rf_miss_curve_knee(exact) != rf_miss_curve_knee(sampled) || rf_miss_curve_error(exact) > 0)
		return 12;
	rf_miss_curve_free(exact);
	rf_miss_curve_free(sampled);
	rf_miss_curve_free(curve);
	config.policy = "no such";
	if (rf_cache_sim_new(&sim, &config, &error) != RF_INPUT || sim || !std::strstr(error.text, "'no such'"))
		return 7;
	return std::strcmp(rf_policy_name(0), "") == 0 || !rf_policy_summary(0);
}
END

if command -v g++ > /dev/null; then
	# shellcheck disable=SC2086
	ok "a C++ program compiles without warnings" g++ -std=c++11 -Wall -Wextra -Werror $sanitize -I"$top/include" plus.cc -o plus ./librefrain.so.0
	exits "it feeds keys and sizes, and is refused what is wrong" 0 sh -c "./plus < keys"
	cp out plus.out
	"$REFRAIN" trace simulate --bytes --policy=lru --size=100 --format=csv --column=1 --size-column=2 --csv keys.csv > want
	is "its counts are those of refrain trace simulate --bytes" "$(cat plus.out)" "$(awk -F, 'NR == 2 { print $3, $4, $6 }' want)"
else
	skip "a C++ program" "no g++"
fi
