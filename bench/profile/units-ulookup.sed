/^struct unitlist \*$/{
N
s/^struct unitlist \*\nulookup(const char \*str)$/static unsigned lookup_now = 1;\
static struct { char key[32]; struct unitlist *value; unsigned when; } lookup_cache[512];\
static struct unitlist *ulookup_uncached(const char *str);\
struct unitlist *\
ulookup(const char *str)\
{\
   unsigned h = 0, n = 0;\
   struct unitlist *u;\
   while (str[n] \&\& n < 31) h = h * 31 + (unsigned char) str[n++];\
   if (str[n] || !n) return ulookup_uncached(str);\
   h = (h ^ h >> 9) % 512;\
   if (lookup_cache[h].when == lookup_now \&\& memcmp(lookup_cache[h].key, str, n + 1) == 0) return lookup_cache[h].value;\
   u = ulookup_uncached(str);\
   memcpy(lookup_cache[h].key, str, n + 1);\
   lookup_cache[h].value = u;\
   lookup_cache[h].when = lookup_now;\
   return u;\
}\
static struct unitlist *\
ulookup_uncached(const char *str)/
}
s/^    utab\[hashval\] = uptr;$/    utab[hashval] = uptr; lookup_now++;/
