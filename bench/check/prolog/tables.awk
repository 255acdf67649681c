# SPDX-License-Identifier: MIT
# From the cells of prolog.sh: a table of ratios for each structure, a bar for each ratio (one # for each doubling, so that a
# constant ratio is a straight edge), and the better policy by size and depth limit, as in the paper's Table 1.
BEGIN { FS = "\t" }
NR == 1 { next }
{
	c = $3 == "none" ? "none" : ($3 == "direct" ? "DM" : "LRU") " " $4 " " $5
	ratio[$1, $2, c] = $7
	if (!($1 in seen)) { seen[$1] = 1; structures[++ns] = $1 }
	if (!($2 in size)) { size[$2] = 1; at[++nn] = $2 }
}
function bar(r,    b) { for (b = ""; r >= 2 && length(b) < 30; r /= 2) b = b "#"; return b }
function best(s, n, z, d,    x, y) {
	x = ratio[s, n, "DM " z " " d]; y = ratio[s, n, "LRU " z " " d]
	if (x == "" && y == "") return " "
	if (y == "" || y == "-") return x == "-" ? "-" : "D"
	if (x == "" || x == "-") return "L"
	return x < y / 1.03 ? "D" : y < x / 1.03 ? "L" : "="
}
END {
	nc = split("none|DM 256 1|DM 256 2|DM 256 inf|LRU 256 1|LRU 256 2|LRU 256 inf|LRU 65536 inf", configs, "|")
	for (i = 1; i <= nn; i++) for (j = i + 1; j <= nn; j++) if (at[j] + 0 < at[i] + 0) { t = at[i]; at[i] = at[j]; at[j] = t }
	for (i = 1; i <= ns; i++) {
		print structures[i]
		for (k = 1; k <= nc; k++)
			for (j = 1; j <= nn; j++) {
				r = ratio[structures[i], at[j], configs[k]]
				if (r != "") printf "  %-14s %6d %8s %s\n", j == 1 ? configs[k] : "", at[j], r == "-" ? r : sprintf("%.1f", r), r == "-" ? "" : bar(r)
			}
	}
	print "\nthe better policy at n = 4096 (set: 1024), depth limit 2 and none"
	for (z = 256; z >= 32; z /= 2) {
		printf "%6d", z
		for (i = 1; i <= ns; i++) {
			n = structures[i] == "set" ? 1024 : 4096
			printf "  %s %s%s", structures[i], best(structures[i], n, z, 2), best(structures[i], n, z, "inf")
		}
		print ""
	}
}
