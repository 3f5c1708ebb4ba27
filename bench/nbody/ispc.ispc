/* SPDX-License-Identifier: MIT */
struct vec4 {
    float x, y, z, w;
};

export void attract(uniform int first, uniform int end, uniform int n, uniform float soft,
                    const uniform struct vec4 p[], uniform struct vec4 a[])
{
    foreach (i = first ... end) {
        struct vec4 me = p[i];
        float x = 0, y = 0, z = 0;
        for (uniform int j = 0; j < n; j++) {
            float dx = p[j].x - me.x, dy = p[j].y - me.y, dz = p[j].z - me.z;
            float inverse = rsqrt(dx * dx + dy * dy + dz * dz + soft);
            float s = p[j].w * inverse * inverse * inverse;
            x += dx * s;
            y += dy * s;
            z += dz * s;
        }
        struct vec4 sum = {x, y, z, 0};
        a[i] = sum;
    }
}
