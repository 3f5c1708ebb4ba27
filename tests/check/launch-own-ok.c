// SPDX-License-Identifier: MIT
// RUN: python3 %root/tests/expect.py %ampcc -fsyntax-only %s
// Without amp.h its names are the user's.
struct amp_extent {
    int rank;
};
struct amp_extent amp_extent1(void);
int amp_launch(void);
int amp_launch_async(int, struct amp_extent, void (*)(void), int, int *);

void f(void)
{
}

int main(void)
{
    int *none = none;
    return amp_launch() + amp_launch_async(0, amp_extent1(), f, 1, (int[]){1}) +
           amp_launch_async(0, amp_extent1(), (void (*)(void))main, 0, none);
}
