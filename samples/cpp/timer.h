// SPDX-License-Identifier: MIT
// A timer as the samples of C++ AMP use it; Elapsed() is in milliseconds.
#pragma once

#include <chrono>

class Timer
{
  public:
    void Start()
    {
        begin_ = std::chrono::steady_clock::now();
    }
    void Stop()
    {
        end_ = std::chrono::steady_clock::now();
    }
    double Elapsed() const
    {
        return std::chrono::duration<double, std::milli>(end_ - begin_).count();
    }

  private:
    std::chrono::steady_clock::time_point begin_, end_;
};
