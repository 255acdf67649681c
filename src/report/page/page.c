/* SPDX-License-Identifier: MIT */
/* The plots a page keeps: see page.h. */
#include "report/page/page.h"

#include <stdlib.h>

void page_plot(struct page *p, const char *title, char *svg)
{
	vec_push(&p->plots->list, ((struct plot){mem_strdup(title), svg}));
}

void plots_release(struct plots *p)
{
	for (size_t i = 0; i < p->list.n; i++) {
		free(p->list.at[i].title);
		free(p->list.at[i].svg);
	}
	vec_release(&p->list);
}
