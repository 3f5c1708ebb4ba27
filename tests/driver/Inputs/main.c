/* SPDX-License-Identifier: MIT */
int one(void);
int two(void);

int main(void)
{
    return one() || two();
}
