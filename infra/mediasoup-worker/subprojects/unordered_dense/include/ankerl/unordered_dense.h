// ankerl::unordered_dense is in no Debian package; mediasoup 3.27 uses it as it would the standard containers.
#pragma once

#include <functional>
#include <unordered_map>
#include <unordered_set>

namespace ankerl::unordered_dense
{
	template<typename Key>
	using hash = std::hash<Key>;

	template<typename Key, typename Value, typename Hash = std::hash<Key>, typename Equal = std::equal_to<Key>>
	using map = std::unordered_map<Key, Value, Hash, Equal>;

	template<typename Key, typename Hash = std::hash<Key>, typename Equal = std::equal_to<Key>>
	using set = std::unordered_set<Key, Hash, Equal>;
} // namespace ankerl::unordered_dense
