package io.godwit.mqtt.transport;

import io.godwit.mqtt.transport.report.MqttReports;
import io.godwit.mqtt.transport.tls.ServerTls;
import java.io.IOException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Checks every few seconds whether the files of the listeners have changed, on its own I/O thread. */
public final class CertificateWatch implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(CertificateWatch.class);
    private static final long PERIOD_SECONDS = 2;

    private final MqttReports reports;
    private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread made = new Thread(task, "certificate-watch");
        made.setDaemon(true);
        return made;
    });

    public CertificateWatch(MqttReports reports) {
        this.reports = reports;
    }

    /** @param listener name for logs and events */
    @SuppressWarnings("FutureReturnValueIgnored") // runs until the thread is shut down
    public void add(String listener, ServerTls tls) {
        thread.scheduleWithFixedDelay(() -> look(listener, tls), PERIOD_SECONDS, PERIOD_SECONDS, TimeUnit.SECONDS);
    }

    private void look(String listener, ServerTls tls) {
        try {
            if (tls.reloadIfChanged()) {
                LOG.info(
                        "certificates reloaded listener={} file={}",
                        listener,
                        tls.config().certFile());
                reports.certificatesReloaded(listener);
            }
        } catch (IOException e) {
            LOG.error("certificates not reloaded, the old ones stay listener={} cause={}", listener, e.getMessage());
            reports.certificatesRejected(listener, String.valueOf(e.getMessage()));
        } catch (RuntimeException | Error e) { // outermost frame
            LOG.error("certificates not reloaded, the old ones stay listener={}", listener, e);
            reports.certificatesRejected(listener, e.toString());
        }
    }

    @Override
    public void close() {
        thread.shutdownNow();
    }
}
