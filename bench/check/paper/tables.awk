# The tables of the paper's study from the cells that paper.sh measured: "STRUCTURE LOG2N CONFIGURATION ns worst-depth calls".
{ ns_of[$1, $2, $3] = $4; depth_of[$1, $2, $3] = $5 }

function cell(policy, size, depth) { return "engine=a,policy=" policy ",size=" size ",depth=" depth }
# the ratio to the plain program; -1: not measured
function ratio(s, k, c) { return (s, k, c) in ns_of ? ns_of[s, k, c] / ns_of[s, k, "plain"] : -1 }
function text(x) { return x < 0 ? "-" : sprintf(x < 100 ? "%.2f" : "%.0f", x) }
function better(s, k, size, depth, d, l) {
	d = ratio(s, k, cell("dm", size, depth)); l = ratio(s, k, cell("lru", size, depth))
	return d < l ? d : l
}
function highest(s) { return s == "set" && at > 10 ? 10 : at } # set without a cache stops there
function is_tree(s) { return s ~ /avl|heap|btree|rb|tree/ }
# the ratios of each structure and policy, a column for each value of what varies; `fixed` is what does not
function table_by(what, fixed, n, values, width, i, j, p, s, policy, two, all) {
	printf "\n== %s, n = %d (set: at most 1024), by %s\n%-8s %6s", fixed, 2 ^ at, what, "structure", "policy"
	for (j = 1; j <= n; j++)
		printf " %" width "s", values[j]
	printf "\n"
	for (i = 1; i <= n_names; i++)
		for (p = 0; p < 2; p++) {
			s = name[i]; policy = p ? "lru" : "dm"
			printf "%-8s %6s", s, policy
			for (j = 1; j <= n; j++)
				printf " %" width "s", text(ratio(s, highest(s), what == "cache size" ? cell(policy, values[j], 2) : cell(policy, 256, values[j])))
			two = ratio(s, highest(s), cell(policy, 256, 2)); all = ratio(s, highest(s), cell(policy, 256, "inf"))
			print (what != "cache size" && is_tree(s) && two >= all ? "  MISSED: depth 2 is not better than unlimited" : "")
		}
}

END {
	n_names = split(names, name, " "); n_k = split(ns, ks, " "); n_sizes = split(sizes, size, " "); n_depths = split(depths, depth, " ")

	printf "\n== 256 entries, depth 2, by n\n%-8s %6s %9s %9s %7s %7s %12s %14s\n", "structure", "n", "ns/call", "no cache", "DM", "LRU", "cache gains", "worst none,DM,LRU"
	for (i = 1; i <= n_names; i++) {
		s = name[i]
		for (j = 1; j <= n_k; j++) {
			k = ks[j]
			if (!((s, k, "plain") in ns_of))
				continue
			none = ratio(s, k, "engine=none"); b = better(s, k, 256, 2)
			w = (none < 0 ? "-" : depth_of[s, k, "engine=none"]) "," depth_of[s, k, cell("dm", 256, 2)] "," depth_of[s, k, cell("lru", 256, 2)]
			printf "%-8s %6d %9.0f %9s %7s %7s %12s %14s%s\n", s, 2 ^ k, ns_of[s, k, "plain"], text(none), text(ratio(s, k, cell("dm", 256, 2))),
				text(ratio(s, k, cell("lru", 256, 2))), (none < 0 ? "-" : sprintf("%.1f", none / b)), w,
				(s != "set" && k == 12 && none / b < 10 ? "  MISSED (10 times)" : "")
		}
	}

	printf "\n== growth: ratio of the better policy (256 entries, depth 2), largest n to smallest; the paper calls it almost constant\n"
	for (i = 1; i <= n_names; i++) {
		s = name[i]; first = last = 0
		for (j = 1; j <= n_k; j++)
			if ((s, ks[j], "plain") in ns_of) {
				if (!first)
					first = ks[j]
				last = ks[j]
			}
		g = better(s, last, 256, 2) / better(s, first, 256, 2)
		printf "%-8s 2^%d: %s, 2^%d: %s, %.2f times%s\n", s, first, text(better(s, first, 256, 2)), last, text(better(s, last, 256, 2)), g,
			(g > 1.5 ? "  (not constant)" : "")
	}

	table_by("depth limit", "256 entries", n_depths, depth, 8)
	table_by("cache size", "depth 2", n_sizes, size, 7)

	printf "\n== the better policy at n = %d (here / the paper's Table 1; = within 3 %%)\n%-6s", 2 ^ at, "size"
	table[256] = "D D D D L L L L L L L D D L"
	table[128] = "D D D D L L L L D D L D D D"
	table[64] = table[128]
	table[32] = "D D D D D D D D D D D D D D"
	for (i = 1; i <= n_names; i++)
		printf " %-13s", name[i] " 2, inf"
	printf "\n"
	same = told = 0
	for (z = 256; z >= 32; z /= 2) {
		split(table[z], paper, " ")
		printf "%-6d", z
		for (i = 1; i <= n_names; i++) {
			line = ""
			for (d = 0; d < 2; d++) {
				k = highest(name[i])
				x = ratio(name[i], k, cell("dm", z, d ? "inf" : 2)); y = ratio(name[i], k, cell("lru", z, d ? "inf" : 2))
				best = x < y * 0.97 ? "D" : y < x * 0.97 ? "L" : "="
				told += (best != "="); same += (best == paper[2 * i - 1 + d])
				line = line best "/" paper[2 * i - 1 + d] " "
			}
			printf " %-13s", line
		}
		printf "\n"
	}
	printf "the same winner as the paper in %d of the %d cells that have one here (56 in all)\n", same, told
}
