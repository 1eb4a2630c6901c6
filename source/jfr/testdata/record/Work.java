import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import jdk.jfr.*;

/** A little of everything that a recording has events of; see ../README.md. */
public class Work {
    @Name("sample.Fields") @Label("All Fields") @Description("a field of each type")
    static class Fields extends Event {
        @Label("Truth") boolean truth; byte small; char letter; short number; int whole; long great;
        @Unsigned int positive; float fraction; double real; String text, empty, none;
        @DataAmount long size; @DataAmount(DataAmount.BITS) int bits; @Percentage float share; @Frequency int rate;
        @Timespan(Timespan.MILLISECONDS) long pause; @Timestamp(Timestamp.MILLISECONDS_SINCE_EPOCH) long when;
        @MemoryAddress long address; Thread thread; Class<?> type;
    }

    @Name("sample.Step") @Label("Step")
    static class Step extends Event { @Label("Step Name") String name; @Label("Length") @DataAmount long length; }

    static final Object lock = new Object();
    static volatile Object sink;
    static long sum;

    static void crunch(int n) {
        Map<Integer, String> m = new HashMap<>();
        for (int i = 0; i < n; i++) { m.put(i * 31 % 977, "v" + i); sum += m.hashCode(); }
        sink = m;
    }
    static int deep(int n) {
        if (n > 0) return deep(n - 1) + 1;
        crunch(500);
        return 1;
    }
    static void contend() {
        for (int i = 0; i < 6; i++) synchronized (lock) { pause(5); }
    }
    static void pause(int ms) {
        try { Thread.sleep(ms); } catch (InterruptedException e) { throw new RuntimeException(e); }
    }
    static void park() { for (int i = 0; i < 4; i++) LockSupport.parkNanos(15_000_000L); }
    static void await() throws Exception { synchronized (Work.class) { Work.class.wait(40); } }
    static void fields(String text) {
        Fields f = new Fields();
        f.truth = true; f.small = -8; f.letter = '\u00e9'; f.number = -300; f.whole = -70000; f.great = Long.MIN_VALUE + 1;
        f.positive = -1; f.fraction = 2.5f; f.real = -1e300; f.text = text; f.empty = ""; f.none = null;
        f.size = 4096; f.bits = 12; f.share = 0.25f; f.rate = 50; f.pause = 7; f.when = 1_000_000_000_000L;
        f.address = 0x7fff0000L; f.thread = Thread.currentThread(); f.type = int[][].class;
        f.commit();
    }

    public static void main(String[] args) throws Exception {
        for (int chunk = 0; chunk < Integer.parseInt(args[0]); chunk++) {
            if (chunk > 0) try (Recording r = new Recording()) { r.start(); } // makes a new chunk
            Thread[] threads = {new Thread(Work::contend, "contender"), new Thread(Work::contend, "contender"), new Thread(Work::park, "parker")};
            for (Thread t : threads) t.start();
            await();
            Step step = new Step();
            step.begin();
            long end = System.nanoTime() + 250_000_000L;
            while (System.nanoTime() < end) { crunch(2000); deep(90); sink = new byte[1 << 20]; }
            step.name = "crunch " + chunk; step.length = 1000 + chunk;
            step.commit();
            fields(chunk == 0 ? "latin \u00e9" : chunk == 1 ? "wide \u4e2d" : "plain");
            for (Thread t : threads) t.join();
            System.gc();
        }
    }
}
