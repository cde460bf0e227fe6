package io.godwit.it.powerloss;

import io.godwit.it.broker.Broker;
import io.godwit.it.broker.BrokerProcess;
import io.godwit.it.powerloss.PowerCut.Loss;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Random;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The packaged broker, whose {@link #kill} is a loss of power: it takes along what was not fsynced. */
public final class UnpluggedBroker implements Broker {
    private static final Logger LOG = LoggerFactory.getLogger(UnpluggedBroker.class);

    private final BrokerProcess process;
    private final PowerLoss power;
    private final Loss loss;
    private final Random random;
    private Watch watch = new Watch() {};

    /** What a test does at the turns of the broker's life; run by who kills it. */
    public interface Watch {
        /** It serves. */
        default void ready(BrokerProcess broker) throws IOException {}

        /** It is about to be killed, in whatever state it is. */
        default void dying(BrokerProcess broker) throws IOException {}
    }

    /** @param process not started, and started by this only */
    public UnpluggedBroker(BrokerProcess process, Loss loss, Random random) throws IOException, InterruptedException {
        this.process = process;
        this.power = PowerLoss.over(process.data());
        this.loss = loss;
        this.random = random;
        power.environment().forEach(process::environment);
    }

    public UnpluggedBroker watchedBy(Watch newWatch) {
        watch = newWatch;
        return this;
    }

    /** See {@link PowerLoss#failNextSync}. */
    public void failNextSync() throws IOException {
        power.failNextSync();
    }

    @Override
    public InetSocketAddress address() {
        return process.address();
    }

    @Override
    public void launch() throws IOException {
        process.launch();
    }

    @Override
    public void awaitReady(Duration patience) throws IOException {
        process.awaitReady(patience);
        watch.ready(process);
    }

    @Override
    public void awaitRecovery() throws IOException {
        process.awaitRecovery();
    }

    @Override
    public boolean freeze() throws IOException {
        return process.freeze();
    }

    @Override
    public boolean freezeInSnapshot(double share, Duration patience) throws IOException {
        return process.freezeInSnapshot(share, patience);
    }

    @Override
    public void kill() throws IOException {
        watch.dying(process);
        process.kill();
        LOG.info("{}: {} bytes cut off", loss, power.cut(loss, random));
    }

    @Override
    public void close() throws IOException {
        process.close();
    }
}
