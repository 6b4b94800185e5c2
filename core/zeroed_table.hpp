// The memory of a transposition table. An entry of zeros must mean "empty". Large tables are mapped directly: the
// operating system zeroes each page when it is first used, so that creating a table takes no time. (calloc is not
// enough: it may hand out used memory, which it has to fill with zeros.)
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdlib>
#include <new>
#include <type_traits>

namespace zp {

template <class Entry>
class ZeroedTable {
  public:
    static_assert(std::is_aggregate_v<Entry> && std::is_trivially_destructible_v<Entry>);

    explicit ZeroedTable(size_t entries) : bytes_(entries * sizeof(Entry)) {
        if (is_mapped()) {
            void* memory = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
            entries_ = memory == MAP_FAILED ? nullptr : static_cast<Entry*>(memory);
        } else {
            entries_ = static_cast<Entry*>(std::calloc(1, bytes_));
        }
        if (entries_ == nullptr) throw std::bad_alloc();
    }

    ~ZeroedTable() {
        if (is_mapped()) {
            munmap(entries_, bytes_);
        } else {
            std::free(entries_);
        }
    }

    ZeroedTable(const ZeroedTable&) = delete;
    ZeroedTable& operator=(const ZeroedTable&) = delete;

    Entry& operator[](size_t at) { return entries_[at]; }

  private:
    bool is_mapped() const { return bytes_ >= size_t{1} << 17; }

    size_t bytes_;
    Entry* entries_;
};

}  // namespace zp
