/* SPDX-License-Identifier: MIT
 *
 * The serial function of samples/cpp/walkthrough.cpp alone. */
#include <iostream>

void MultiplyWithOutAMP();
void MultiplyWithOutAMP()
{
    int aMatrix[3][2] = {{1, 4}, {2, 5}, {3, 6}};
    int bMatrix[2][3] = {{7, 8, 9}, {10, 11, 12}};
    int product[3][3] = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};

    for (int row = 0; row < 3; row++) {
        for (int col = 0; col < 3; col++) {
            for (int inner = 0; inner < 2; inner++)
                product[row][col] += aMatrix[row][inner] * bMatrix[inner][col];
            std::cout << product[row][col] << "  ";
        }
        std::cout << "\n";
    }
}
