// Positions sorted by the member of a population that evaluates them, in groups of at most `width` per member.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace zp {

struct MemberGroup {
    int64_t first;  // of the order
    int32_t member;
    int32_t count;
};

struct ByMember {
    std::vector<int64_t> order;  // position indices; stable within a member
    std::vector<MemberGroup> groups;

    ByMember(const int32_t* members, int64_t n, int64_t rows, int width) : order(n) {
        std::vector<int64_t> next(rows + 1);
        for (int64_t i = 0; i < n; ++i) ++next[members[i] + 1];
        for (int64_t row = 0; row < rows; ++row) {
            next[row + 1] += next[row];
            for (int64_t first = next[row]; first < next[row + 1]; first += width) {
                const auto count = static_cast<int32_t>(std::min<int64_t>(width, next[row + 1] - first));
                groups.push_back({first, static_cast<int32_t>(row), count});
            }
        }
        for (int64_t i = 0; i < n; ++i) order[next[members[i]]++] = i;
    }
};

}  // namespace zp
