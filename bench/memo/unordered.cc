// SPDX-License-Identifier: MIT
// The peer of C++: std::unordered_map with a 16-byte key and the hash of the table written by hand. The loop of
// look-ups is here, so that the map is compiled into it as the others are into theirs.
#include <cstdint>
#include <unordered_map>

struct key {
	std::uint64_t a, b;
	bool operator==(const key &o) const { return a == o.a && b == o.b; }
};

struct hash {
	std::size_t operator()(const key &k) const
	{
		std::uint64_t x = (k.a ^ k.b * 0xe7037ed1a0b428dbu) * 0x9e3779b97f4a7c15u;
		return x ^ x >> 32;
	}
};

using map = std::unordered_map<key, std::uint64_t, hash>;

static key key_of(std::uint64_t i)
{
	return {i * 0x9e3779b97f4a7c15u, i};
}

extern "C" void *unordered_new(std::uint64_t distinct)
{
	map *m = new map;
	for (std::uint64_t i = 0; i < distinct; i++)
		m->emplace(key_of(i), i);
	return m;
}

extern "C" std::uint64_t unordered_look_up(const void *p, std::uint64_t distinct, int n, std::uint64_t *sum)
{
	const map &m = *static_cast<const map *>(p);
	std::uint64_t x = 1, hits = 0;
	for (int i = 0; i < n; i++) {
		x = x * 6364136223846793005u + 1442695040888963407u;
		auto found = m.find(key_of(((x >> 32) * distinct) >> 32));
		if (found != m.end())
			hits += 1, *sum += found->second;
	}
	return hits;
}

extern "C" void unordered_free(void *p)
{
	delete static_cast<map *>(p);
}
