/* SPDX-License-Identifier: Apache-2.0 */
/* Owners for C++: joggle::array holds one reference to a jg_array, joggle::check makes an exception of
 * a status. Header-only, C++11, optional: nothing else in joggle includes it.
 *
 *     joggle::array x = joggle::make(jg_array_from_data, data, JG_DTYPE_FLOAT32, 1, shape);
 *     joggle::array y = joggle::make(jg_exp, x);
 *     joggle::check(jg_array_copy_to(y, out, sizeof out));
 *
 * make calls a function whose last parameter is `jg_array **out`. An owner passes for the borrowed
 * jg_array * that the functions of C take; release() hands its reference on. */
#ifndef JOGGLE_ARRAY_HPP
#define JOGGLE_ARRAY_HPP

#include <joggle/array.h>
#include <joggle/ops.h>

#include <stdexcept>
#include <string>
#include <utility>

namespace joggle
{

/* A call that failed: its status, and its message as what(). */
class error : public std::runtime_error
{
  public:
    explicit error(jg_status status) : std::runtime_error(jg_error_message()), status_(status) {}
    jg_status status() const noexcept { return status_; }

  private:
    jg_status status_;
};

/* raises: error for every status but JG_OK */
inline void check(jg_status status)
{
    if (status != JG_OK)
        throw error(status);
}

/* One reference, released at the end; a copy is one reference more. An empty one holds none. */
class array
{
  public:
    array() noexcept = default;

    /* takes: x, which may be NULL */
    static array adopt(jg_array *x) noexcept
    {
        array owner;
        owner.x_ = x;
        return owner;
    }

    /* keeps: x, which may be NULL */
    static array retain(jg_array *x) noexcept { return adopt(x ? jg_array_retain(x) : nullptr); }

    array(const array &other) noexcept : x_(other.x_ ? jg_array_retain(other.x_) : nullptr) {}
    array(array &&other) noexcept : x_(other.release()) {}
    ~array() { jg_array_release(x_); }

    array &operator=(array other) noexcept
    {
        std::swap(x_, other.x_);
        return *this;
    }

    /* The array, borrowed as long as this owner holds it; NULL of an empty one. */
    operator jg_array *() const noexcept { return x_; }
    jg_array *get() const noexcept { return x_; }

    /* gives: the reference; the owner is empty then */
    jg_array *release() noexcept
    {
        jg_array *x = x_;
        x_ = nullptr;
        return x;
    }

  private:
    jg_array *x_ = nullptr;
};

/* The result of a function of C whose last parameter is `jg_array **out`, called with the arguments
 * before it. raises: error */
template <class Function, class... Arguments>
array make(Function function, Arguments &&...arguments)
{
    jg_array *out = nullptr;
    check(function(std::forward<Arguments>(arguments)..., &out));
    return array::adopt(out);
}

/* The elements as text, as jg_array_text gives them. raises: error, also for an empty owner
 * waits: until x is in memory */
inline std::string to_string(const array &x)
{
    if (x.get() == nullptr)
        check(jg_error_set(JG_ERR_VALUE,
                           "[to_string] x: got an empty owner, allowed are owners of an array"));
    char *text = nullptr;
    check(jg_array_text(x, &text));
    std::string copy;
    try {
        copy = text;
    } catch (...) {
        jg_text_release(text);
        throw;
    }
    jg_text_release(text);
    return copy;
}

} // namespace joggle

#endif
