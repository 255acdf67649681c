/* SPDX-License-Identifier: MIT */
/* Signatures over libcrypto: see sign.h. */
#include "farm/sign.h"

#include "base/varint.h"

#include <errno.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <string.h>
#include <sys/stat.h>

enum { SHORTEST_KEY = 16, LONGEST_KEY = 4096 };

enum rc sign_key_read(struct sign_key *k, const char *path, struct err *e)
{
	struct stat st;
	*k = (struct sign_key){0};
	if (!path)
		return RC_OK;
	if (stat(path, &st) != 0)
		return err_sys(e, RC_INPUT, errno, "cannot open the key file '%s'", path);
	if (S_ISREG(st.st_mode) && (st.st_mode & 077))
		return err_set(e, RC_INPUT, "others may read the key file '%s': chmod 600 '%s'", path, path);
	enum rc rc = buf_read_file(&k->bytes, path, LONGEST_KEY, e);
	while (rc == RC_OK && k->bytes.n && strchr("\r\n", k->bytes.at[k->bytes.n - 1]))
		k->bytes.n--;
	if (rc == RC_OK && k->bytes.n < SHORTEST_KEY)
		rc = err_set(e, RC_INPUT, "the key in '%s' is shorter than %d bytes", path, SHORTEST_KEY);
	return rc;
}

void sign_key_release(struct sign_key *k)
{
	if (k->bytes.at)
		explicit_bzero(k->bytes.at, k->bytes.cap);
	buf_release(&k->bytes);
}

static void compute(const void *bytes, size_t n, const struct sign_key *k, enum sign_kind kind, const char *run,
		    uint64_t number, unsigned char out[EVP_MAX_MD_SIZE])
{
	struct buf all = {0};
	unsigned char le[8];
	unsigned len = 0;
	buf_printf(&all, "refrain %d %.*s ", kind, RUN_NAME, run);
	put_le64(le, number);
	buf_add(&all, le, sizeof le);
	buf_add(&all, bytes, n);
	if (!HMAC(EVP_sha256(), buf_str(&k->bytes), (int)k->bytes.n, (const unsigned char *)all.at, all.n, out, &len))
		mem_oom(0);
	buf_release(&all);
}

void sign(struct buf *b, const struct sign_key *k, enum sign_kind kind, const char *run, uint64_t number)
{
	unsigned char mac[EVP_MAX_MD_SIZE];
	compute(buf_str(b), b->n, k, kind, run, number, mac);
	buf_add(b, mac, SIGNATURE);
}

bool sign_check(const void *bytes, size_t *n, const struct sign_key *k, enum sign_kind kind, const char *run,
		uint64_t number)
{
	unsigned char mac[EVP_MAX_MD_SIZE];
	if (*n < SIGNATURE)
		return false;
	compute(bytes, *n - SIGNATURE, k, kind, run, number, mac);
	if (!sign_same(mac, (const char *)bytes + *n - SIGNATURE, SIGNATURE))
		return false;
	*n -= SIGNATURE;
	return true;
}

bool sign_same(const void *a, const void *b, size_t n)
{
	return CRYPTO_memcmp(a, b, n) == 0;
}
