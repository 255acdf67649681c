# SPDX-License-Identifier: MIT
# Lines "SUITE CACHE UNSAT REUSED" as an SVG picture: a row a suite, in percent of its unsat answers; full is the widest bar, cache-a-lot lies
# in it, utopia and subset side by side in that.
BEGIN {
	split("full cache-a-lot utopia subset", cache, " ")
	split("#d5dbe3 #93a9c4 #2f5d8c #c2702f", colour, " ")
	left = 110; row = 34; width = 500; top = 46
}

{
	if (!($1 in place)) {
		name[++n] = $1
		place[$1] = n
	}
	share[$1, $2] = $3 ? $4 / $3 : 0
}

function bar(suite, i, y, height) {
	printf "<rect x=\"%d\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"><title>%s, %s: %.1f %%</title></rect>\n", \
		left, y, width * share[suite, cache[i]], height, colour[i], suite, cache[i], 100 * share[suite, cache[i]]
}

END {
	height = top + n * row + 30
	printf "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" font-size=\"12\">\n", left + width + 30, height
	printf "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n"
	for (i = 1; i <= 4; i++) {
		printf "<rect x=\"%d\" y=\"14\" width=\"12\" height=\"12\" fill=\"%s\"/>", left + 110 * (i - 1), colour[i]
		printf "<text x=\"%d\" y=\"24\">%s</text>\n", left + 110 * (i - 1) + 17, cache[i]
	}
	for (p = 0; p <= 100; p += 20) {
		x = left + width * p / 100
		printf "<path d=\"M%.1f %d V%d\" stroke=\"#cccccc\"/><text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%d %%</text>\n", \
			x, top - 6, height - 26, x, height - 10, p
	}
	for (k = 1; k <= n; k++) {
		y = top + (k - 1) * row
		printf "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s</text>\n", left - 8, y + 17, name[k]
		bar(name[k], 1, y, 26)
		bar(name[k], 2, y + 3, 20)
		bar(name[k], 3, y + 5, 7)
		bar(name[k], 4, y + 14, 7)
	}
	print "</svg>"
}
