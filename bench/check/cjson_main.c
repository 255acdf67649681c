/* Builds, searches and takes apart JSON documents with cJSON; prints the CPU seconds. */
#include "cJSON.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

int main(void)
{
	for (int round = 0; round < 20; round++) {
		cJSON *root = cJSON_CreateObject(), *list = cJSON_CreateArray();
		cJSON_AddItemToObject(root, "list", list);
		for (int i = 0; i < 400; i++) {
			cJSON *o = cJSON_CreateObject();
			cJSON_AddItemToObject(o, "n", cJSON_CreateNumber(i));
			cJSON_AddItemToObject(o, "name", cJSON_CreateString("item"));
			cJSON_AddItemToArray(list, o);
		}
		for (int i = 0; i < 100; i++)
			cJSON_Delete(cJSON_DetachItemFromArray(list, i * 2));
		char *text = cJSON_Print(root);
		cJSON_Delete(root);
		cJSON *again = cJSON_Parse(text);
		if (cJSON_GetArraySize(cJSON_GetObjectItem(again, "list")) != 300)
			return 1;
		cJSON_Delete(again);
		free(text);
	}
	printf("%.3f\n", (double)clock() / CLOCKS_PER_SEC);
	return 0;
}
