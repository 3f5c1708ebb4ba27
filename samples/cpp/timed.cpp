#include <iostream>
#include <vector>
#include <amp.h>
#include "timer.h"
using std::vector;
using namespace concurrency;

void MatrixMultiplyAMP(vector<int>& vC, vector<int>& vA, vector<int>& vB, int M, int N, int W)
{
    array_view<const int,2> a(M, W, vA);
    array_view<const int,2> b(W, N, vB);
    array_view<int,2> c(M, N, vC);
    c.discard_data();

    parallel_for_each(
        c.extent, [=](concurrency::index<2> idx)
        restrict(amp)
    {
        int row = idx[0];
        int col = idx[1];
        int sum = 0;

        for(int k = 0; k < W; ++k)
                sum += a(row, k) * b(k, col);

        c[idx] = sum;
    });

    c.synchronize();
}

void MatrixMultiply(vector<int>& vC, vector<int>& vA, vector<int>& vB, int M, int N, int W)
{
        for (int row = 0; row < M; row++)
                for (int col = 0; col < N; col++)
                {
                        int sum = 0;
                        for (int k = 0; k < W; k++)
                               sum += vA[row * W + k] * vB[k * N + col];
                        vC[row * N + col] = sum;
                }
}

void main()
{
        // Dimensions des matrices
        int M = 2;
        int W = 4;
        int N = 6;

        // 3 vecteurs pour représenter les matrices
        vector<int> A(M*W);
        vector<int> B(W*N);
        vector<int> C(M*N);

        // Peupler la matrice A
        for (unsigned int i = 0; i < A.size(); i++) A[i] = i + 1;

        // Peupler la matrice B
        for (unsigned int i = 0; i < B.size(); i++) B[i] = i + i;

        accelerator acc;

        std::wcout << acc.description << std::endl << std::endl;

        Timer timer;
        std::cout << "Matrix benchmark with M: " << M << ", N: "<< N << ", W: " << W << std::endl << std::endl;
        timer.Start();
        MatrixMultiply(C, A, B, M, N, W);
        timer.Stop();
        std::cout<< "MatrixMultiply Seq - elapsed time: " << timer.Elapsed() << std::endl << std::endl;
        timer.Start();
        MatrixMultiplyAMP(C, A, B, M, N, W);
        timer.Stop();
        std::cout<< "MatrixMultiply AMP - elapsed time: " << timer.Elapsed() << std::endl << std::endl;
        std::cout<< "Hit \"Enter\" to exit:";
        std::cin.get();
}
