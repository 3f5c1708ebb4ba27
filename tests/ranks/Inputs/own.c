/* A program with calls of MPI of its own, which ends MPI by its argument: before it uses `all`, between two uses, or at
 * its end. */
#include <amp.h>
#include <mpi.h>

#include <stdio.h>
#include <string.h>

static void twice(amp_index1 idx, int N, float x[N]) restrict(amp)
{
    x[idx[0]] *= 2;
}

int main(int argc, char **argv)
{
    enum { N = 1000 };
    static float data[N];
    int given, rank, sum;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &given);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (!strcmp(argv[1], "before"))
        MPI_Finalize();
    for (int i = 0; i < N; i++)
        data[i] = (float)i;
    amp_auto_array_view *x = amp_array_view1(N, data);
    amp_parallel_for_each(amp_extent1(N), twice, x);
    amp_synchronize(x);
    if (!strcmp(argv[1], "between")) {
        MPI_Finalize();
        amp_parallel_for_each(amp_extent1(N), twice, x);
    } else if (!strcmp(argv[1], "end")) {
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        MPI_Finalize();
        printf("sum of ranks %d, last element %g, ", sum, (double)data[N - 1]);
    }
    printf("%s: %s\n", amp_status_name(amp_error_status()), amp_error_text());
    return amp_error_status() != AMP_OK;
}
