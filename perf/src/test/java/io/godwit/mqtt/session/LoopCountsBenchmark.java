package io.godwit.mqtt.session;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Threads;
import org.openjdk.jmh.infra.ThreadParams;

/**
 * What a message of QoS 1 costs in counts while another loop counts its own: in numbers that lie apart, and in plain
 * objects made one after the other. The difference shows only while both threads run, so this needs two free cores.
 */
@State(Scope.Benchmark)
@Threads(2)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class LoopCountsBenchmark {
    private LoopCounts[] apart = {};
    private Near[] near = {};

    private static final class Near {
        long outboundUnderWay;
        long acknowledged;
    }

    /** The counts of one thread. */
    @State(Scope.Thread)
    public static class Mine {
        private LoopCounts apart = new LoopCounts();
        private Near near = new Near();

        @Setup
        public void setUp(LoopCountsBenchmark all, ThreadParams params) {
            apart = all.apart[params.getThreadIndex()];
            near = all.near[params.getThreadIndex()];
        }
    }

    @Setup(Level.Trial)
    public void setUp() {
        apart = new LoopCounts[] {new LoopCounts(), new LoopCounts()};
        near = new Near[] {new Near(), new Near()};
    }

    @Benchmark
    public long apart(Mine mine) {
        mine.apart.changeOutboundUnderWay(1);
        mine.apart.acknowledge();
        return mine.apart.outboundUnderWay() + mine.apart.acknowledged();
    }

    @Benchmark
    public long near(Mine mine) {
        mine.near.outboundUnderWay++;
        mine.near.acknowledged++;
        return mine.near.outboundUnderWay + mine.near.acknowledged;
    }
}
