/* A disk that is full. */
#include <amp.h>

#include <stdio.h>

int main(void)
{
    enum { N = 100 };
    static int data[N][N];
    amp_auto_array_view *x = amp_array_view2(N, N, data[0]);
    amp_array_view_write(x, "/dev/full", 0);
    printf("%s: %s\n", amp_status_name(amp_error_status()), amp_error_text());
    return 0;
}
