/* SPDX-License-Identifier: MIT
 *
 * An empty C program; run.py measures how long it lives. */
int main(void)
{
    return 0;
}
