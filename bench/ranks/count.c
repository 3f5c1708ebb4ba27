/* SPDX-License-Identifier: MIT
 *
 * Counts what a rank sends, by kind: a library for LD_PRELOAD, between a program, or libamp's plugin, and MPI. At the
 * end each rank adds a line of "kind messages bytes" for each kind to the file COUNT_FILE.RANK. Of collectives it
 * counts calls, and the bytes that this rank gives. What ranks tell others after they have waited long is not counted:
 * it depends on how busy the machine is. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ISEND, SEND, SENDRECV, ALLREDUCE, BCAST, N_KINDS };
static const char *const names[N_KINDS] = {"isend", "send", "sendrecv", "allreduce", "bcast"};
static long long calls[N_KINDS], bytes[N_KINDS];

static void add(int kind, int count, MPI_Datatype type)
{
    int size;
    PMPI_Type_size(type, &size);
    calls[kind]++;
    bytes[kind] += (long long)count * size;
}

static int is_aside(MPI_Comm comm)
{
    char name[MPI_MAX_OBJECT_NAME] = "";
    int length;
    PMPI_Comm_get_name(comm, name, &length);
    return !strcmp(name, "amp asides");
}

int MPI_Isend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request)
{
    if (!is_aside(comm))
        add(ISEND, count, type);
    return PMPI_Isend(data, count, type, to, tag, comm, request);
}

int MPI_Send(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm)
{
    add(SEND, count, type);
    return PMPI_Send(data, count, type, to, tag, comm);
}

int MPI_Sendrecv(const void *data, int count, MPI_Datatype type, int to, int tag, void *received, int n_received,
                 MPI_Datatype type_received, int from, int tag_received, MPI_Comm comm, MPI_Status *status)
{
    if (to != MPI_PROC_NULL)
        add(SENDRECV, count, type);
    return PMPI_Sendrecv(data, count, type, to, tag, received, n_received, type_received, from, tag_received, comm,
                         status);
}

int MPI_Allreduce(const void *data, void *result, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    add(ALLREDUCE, count, type);
    return PMPI_Allreduce(data, result, count, type, op, comm);
}

int MPI_Bcast(void *data, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    add(BCAST, count, type);
    return PMPI_Bcast(data, count, type, root, comm);
}

int MPI_Finalize(void)
{
    char name[4096];
    int rank;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    snprintf(name, sizeof name, "%s.%d", getenv("COUNT_FILE") ? getenv("COUNT_FILE") : "count", rank);
    FILE *file = fopen(name, "w");
    for (int k = 0; file && k < N_KINDS; k++)
        if (calls[k])
            fprintf(file, "%s %lld %lld\n", names[k], calls[k], bytes[k]);
    if (file)
        fclose(file);
    return PMPI_Finalize();
}
