package io.godwit.mqtt.session.live;

import io.godwit.dist.client.DistClient;
import io.godwit.mqtt.session.core.SessionServices;
import io.godwit.mqtt.session.core.SessionTerms;
import io.godwit.mqtt.transport.connection.Connection;
import io.godwit.mqtt.transport.socket.RestingConnections;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.client.TenantId;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * One pass of a loop's sweep over all its connections, each with a live session: the cost of one second at rest. With a
 * keep-alive of a minute each client pings once in that time, a sixtieth of them between two passes.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class SweepBenchmark {
    @Param({"100000", "1000000"})
    public int connections;

    /** 0 for none. */
    @Param({"60", "0"})
    public int keepAliveSeconds;

    private RestingConnections resting = new RestingConnections();
    private int second;

    @Setup
    public void setUp() {
        resting = new RestingConnections(); // belongs to the thread that measures
        DistClient dist = StorelessServices.dist(new LiveFanOut(1, System::currentTimeMillis));
        SessionServices services = StorelessServices.of(dist, resting.reports());
        for (int i = 0; i < connections; i++) {
            ClientInfo client = new ClientInfo(TenantId.DEFAULT, new ClientId("s" + i), null, "127.0.0.1:1", 5);
            Connection connection = resting.open(keepAliveSeconds);
            connection.setHandler(new TransientSession(
                    connection, services, new SessionTerms(client, 100, 0, 0, null), null, () -> {}));
        }
        resting.begin();
        for (int i = 0; i < 120; i++) { // until time-outs are distributed as after a while
            ping();
            resting.sweep();
        }
    }

    @Setup(Level.Invocation)
    public void ping() {
        second++;
        if (keepAliveSeconds > 0) {
            for (int i = second % keepAliveSeconds; i < connections; i += keepAliveSeconds) {
                resting.ping(i);
            }
        }
    }

    @Benchmark
    public void sweep() {
        resting.sweep();
    }

    @TearDown
    public void check() {
        if (resting.open() != connections) {
            throw new IllegalStateException("only " + resting.open() + " connections were kept");
        }
    }
}
