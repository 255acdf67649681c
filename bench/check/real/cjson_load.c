/* SPDX-License-Identifier: MIT */
/* cjson_load N: reads a document of N objects, moves items between two arrays, prints and deletes it, with cJSON's
 * public functions only. */
#include "cJSON.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 1000;
	size_t room = (size_t)n * 80 + 16, at = 1;
	char *text = malloc(room);
	if (!text)
		return 2;
	text[0] = '[';
	for (int i = 0; i < n; i++)
		at += (size_t)snprintf(text + at, room - at,
				       "%s{\"id\":%d,\"tags\":[\"a\",\"b\",true],\"pos\":{\"x\":1.5,\"y\":-2}}",
				       i ? "," : "", i);
	snprintf(text + at, room - at, "]");
	cJSON *a = cJSON_Parse(text), *b = cJSON_CreateArray();
	for (int i = 0; i < n / 2; i++)
		cJSON_AddItemToArray(b, cJSON_DetachItemFromArray(a, 0));
	char *out = cJSON_PrintUnformatted(b);
	size_t len = out ? strlen(out) : 0;
	cJSON_Delete(a);
	cJSON_Delete(b);
	free(out);
	free(text);
	return len == 0;
}
