// Input of the differential suite: Java with streams, threads, exceptions and hot loops.
import java.util.*;
import java.util.concurrent.*;
import java.util.stream.*;

public class Lists {
    static int spin(int n) {
        int state = 1;
        for (int i = 0; i < n; i++)
            state = state * 1664525 + 1013904223;
        return state;
    }

    public static void main(String[] arguments) throws Exception {
        Map<Integer, Long> counts = IntStream.range(0, 20000).boxed()
            .collect(Collectors.groupingBy(i -> i * 7919 % 13, TreeMap::new, Collectors.counting()));
        System.out.println(counts);
        ExecutorService pool = Executors.newFixedThreadPool(3);
        List<Future<Integer>> results = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            int n = i;
            results.add(pool.submit(() -> spin(10000 * n)));
        }
        for (Future<Integer> result : results)
            System.out.println(result.get());
        pool.shutdown();
        int caught = 0;
        for (Object thing : new Object[] {null, "text", 1})
            try {
                caught += thing.hashCode() % 3;
            } catch (NullPointerException error) {
                caught += 100;
            }
        System.out.println(caught);
    }
}
