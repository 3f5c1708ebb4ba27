#include <amp.h>
#include <cassert>
#include <iostream>
using namespace concurrency;

void test_array()
{
	//测试数据
	std::vector<int> data(5);
	for (int count = 0; count < 5; count++)
	{
		data[count] = count;
	}

	//构造array实例
	array<int, 1> a(5, data.begin(), data.end());

	parallel_for_each(
		a.extent,
		[=, &a](index<1> idx) restrict(amp)
	{
		a[idx] = a[idx] * 10;
	}
	);

	//array实例a不需要调用同步方法
	//但是需要赋值给data
	data = a;

	//输出0,10,20,30,40
	for (int i = 0; i < 5; i++)
	{
		std::cout << data[i] << "\n";
	}
}

int test_sharedMemory()
{
	// 一台计算机中可能有多块加速器,取默认加速器
	accelerator acc = accelerator(accelerator::default_accelerator);

	// 测试默认加速器是否支持共享内存
	if (!acc.supports_cpu_shared_memory)
	{
		std::cout << "The default accelerator does not support shared memory" << std::endl;
		return 1;
	}

	// 设置cpu默认存取方式
	acc.set_default_cpu_access_type(access_type_read_write);

	//为acc加速器建立accelerator_view(加速器视图)实例
	//读写方式默认为加速器default_cpu_access_type属性的设定
	accelerator_view acc_v = acc.default_view;

	// extent指示array实例建立一个含10个元素的一维数组
	extent<1> ex(10);

	// 指定加速器视图,输入数组在CPU上只写
	array<int, 1> arr_w(ex, acc_v, access_type_write);

	// 指定加速器视图,输出数组在CPU上只读
	array<int, 1> arr_r(ex, acc_v, access_type_read);

	// 指定加速器视图,可以在CPU上读写的数组
	array<int, 1> arr_rw(ex, acc_v, access_type_read_write);

	return 0;
}

void test_indexClass()
{
	int aCPP[] = { 1, 2, 3,
		4, 5, 6 };
	//新建2维(两行三列)array_view包装器
	array_view<int, 2> a(2, 3, aCPP);
	index<2> idx(1, 2);

	//输出6
	std::cout << a[idx] << "\n";
}

void test_extentClass()
{
	int aCPP[] = { 111, 112, 113, 114,
		           121, 122, 123, 124,
				   131, 132, 133, 134,

				   211, 212, 213, 214,
				   221, 222, 223, 224,
				   231, 232, 233, 234 };
	extent<3> e(2, 3, 4);
	array_view<int, 3> a(e, aCPP);

	//断言extent[0],[1],[2]的属性分别为2、3、4
	assert(2 == a.extent[0]);
	assert(3 == a.extent[1]);
	assert(4 == a.extent[2]);
}

void test_tile()
{
	// 测试样本:
	int sampledata[] = {
		2, 2, 9, 7, 1, 4,
		4, 4, 8, 8, 3, 4,
		1, 5, 1, 2, 5, 2,
		6, 8, 3, 2, 7, 2 };

	// The tiles(下面是6个砖面):
	// 2 2    9 7    1 4
	// 4 4    8 8    3 4
	//
	// 1 5    1 2    5 2
	// 6 8    3 2    7 2

	// averagedata用来存放运算结果:
	int averagedata[] = {
		0, 0, 0, 0, 0, 0,
		0, 0, 0, 0, 0, 0,
		0, 0, 0, 0, 0, 0,
		0, 0, 0, 0, 0, 0,
	};

	//每四个元素(四根线程)组成一个tile(砖面),所以共有六个tile(砖面)
	array_view<int, 2> sample(4, 6, sampledata);
	array_view<int, 2> average(4, 6, averagedata);

	//通过[1]extent.tile代替extent[2]tiled_index代替index,启用平铺模式
	parallel_for_each(
		// 把extent切分为以2*2为单位的tile(砖面)
		sample.extent.tile<2, 2>(),
		[=](tiled_index<2, 2> idx) restrict(amp)
	{
		//tile_static关键字的变量范围是整个tile(砖面)
		//所以每个tile(砖面)(2*2=4根线程)只实例化一个tile_static
		tile_static int nums[2][2];

		//tile(砖面)中的所有线程分别运行下面的代码
		//把值复制到tile_static实例nums,所以同一个nums会被赋值2*2=4次
		nums[idx.local[1]][idx.local[0]] = sample[idx.global];

		//等待tile(砖面)中的所有线程,运行完上面这段代码
		idx.barrier.wait();

		//现在nums中的2*2=4个元素已经有有效值了
		//tile(砖面)中的所有线程再次分别运行下面的代码

		//计算平均值,
		int sum = nums[0][0] + nums[0][1] + nums[1][0] + nums[1][1];

		//把计算结果复制到array_view对象中.
		average[idx.global] = sum / 4;
	}
	);

	//打印运算结果
	for (int i = 0; i < 4; i++) {
		for (int j = 0; j < 6; j++) {
			std::cout << average(i, j) << " ";
		}
		std::cout << "\n";
	}

	// Output:
	// 3 3 8 8 3 3
	// 3 3 8 8 3 3
	// 5 5 2 2 4 4
	// 5 5 2 2 4 4
}

int main()
{
	test_array();
	test_sharedMemory();
	test_indexClass();
	test_extentClass();
	test_tile();
}
