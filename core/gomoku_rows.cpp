#include "gomoku_rows.hpp"

#include <algorithm>

namespace zp {

const RowTable& RowTable::get(bool exactly_five) {
    static const RowTable five_or_more(false);
    if (!exactly_five) return five_or_more;
    static const RowTable exactly(true);
    return exactly;
}

RowTable::RowTable(bool exactly_five)
    : exactly_five_(exactly_five),
      reach_(exactly_five ? 5 : 4),
      kinds_(size_t{1} << 4 * reach_),
      known_(size_t{1} << 4 * reach_) {
    const uint32_t windows = 1u << (2 * reach_ + 1), middle = 1u << reach_;
    for (uint32_t blocked = 0; blocked < windows; ++blocked) {
        if (blocked & middle) continue;
        const uint32_t free = (windows - 1) & ~blocked & ~middle;
        for (uint32_t own = free;; own = (own - 1) & free) {
            find(own | middle, blocked);
            if (own == 0) break;
        }
    }
    known_ = {};
}

// Is the stone in the middle part of a winning row?
bool RowTable::five(uint32_t own) const {
    int row = 1;
    for (int at = reach_ + 1; own >> at & 1; ++at) ++row;
    for (int at = reach_ - 1; at >= 0 && (own >> at & 1); --at) ++row;
    return exactly_five_ ? row == 5 : row >= 5;
}

Row RowTable::find(uint32_t own, uint32_t blocked) {
    const uint32_t at = index(own) << 2 * reach_ | index(blocked);
    if (known_[at]) return kinds_[at];
    Row kind = Row::kNone;
    if (five(own)) {
        kind = Row::kFive;
    } else {
        constexpr Row kBefore[kRows] = {Row::kNone,    Row::kNone,  Row::kOne,       Row::kOne, Row::kTwo,
                                        Row::kOpenTwo, Row::kThree, Row::kOpenThree, Row::kFour};
        int fives = 0;
        for (int i = 0; i <= 2 * reach_; ++i) {
            const uint32_t bit = 1u << i;
            if ((own | blocked) & bit) continue;
            const Row next = find(own | bit, blocked);
            fives += next == Row::kFive;
            kind = std::max(kind, kBefore[static_cast<int>(next)]);
        }
        if (fives >= 2) kind = Row::kOpenFour;
    }
    known_[at] = true;
    kinds_[at] = kind;
    return kind;
}

}  // namespace zp
