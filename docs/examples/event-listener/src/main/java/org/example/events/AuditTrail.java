package org.example.events;

import io.godwit.plugin.context.Plugin;
import io.godwit.plugin.context.PluginContext;
import io.godwit.plugin.context.PluginHealth;
import io.godwit.plugin.event.BrokerEvent;
import io.godwit.plugin.event.EventListener;
import io.godwit.plugin.event.EventListenerFactory;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Clock;
import java.util.Set;

/**
 * Writes a line to a file in its data directory for each client that came or went, and for each login, publish and
 * subscription that was denied.
 */
public final class AuditTrail implements EventListenerFactory, Plugin {
    private static final Set<Class<? extends BrokerEvent>> WANTED = Set.of(
            BrokerEvent.ClientConnected.class,
            BrokerEvent.ClientDisconnected.class,
            BrokerEvent.ConnectDenied.class,
            BrokerEvent.PublishDenied.class,
            BrokerEvent.SubscribeDenied.class);

    private PluginContext context;
    private long maxBytes;
    private Trail trail;

    @Override
    public String name() {
        return "audit-trail";
    }

    @Override
    public void create(PluginContext given) {
        context = given;
        maxBytes = given.settings().bytes("maxBytes", 10 << 20, 1 << 10, 1 << 30);
    }

    @Override
    public void start() throws IOException {
        trail = new Trail(context.dataDirectory().resolve("audit.log"), maxBytes, context.clock());
    }

    @Override
    public EventListener create() {
        Trail to = trail;
        return new EventListener() {
            @Override
            public boolean isListening(Class<? extends BrokerEvent> kind) {
                return WANTED.contains(kind);
            }

            @Override
            public void onEvent(BrokerEvent event) {
                to.write(event.toString());
            }
        };
    }

    @Override
    public PluginHealth health() {
        Trail present = trail;
        return present == null || !present.hasFailed() ? PluginHealth.UP : PluginHealth.down("cannot write its file");
    }

    @Override
    public void stop() throws IOException {
        if (trail != null) {
            trail.close();
        }
    }

    /** A file, and the one before it. Written by the thread of the listener; closed when that has ended. */
    private static final class Trail {
        private final Path file;
        private final long maxBytes;
        private final Clock clock;
        private BufferedWriter out;
        private long bytes;
        private volatile boolean hasFailed;

        Trail(Path file, long maxBytes, Clock clock) throws IOException {
            this.file = file;
            this.maxBytes = maxBytes;
            this.clock = clock;
            open();
        }

        private void open() throws IOException {
            out = Files.newBufferedWriter(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
            bytes = Files.size(file);
        }

        void write(String event) {
            // clients choose names and topics: a line must stay a line
            String line = clock.instant() + " " + event.replaceAll("\\p{C}", "?");
            try {
                if (bytes > maxBytes) {
                    out.close();
                    Files.move(file, file.resolveSibling("audit.log.1"), StandardCopyOption.REPLACE_EXISTING);
                    open();
                }
                out.write(line);
                out.newLine();
                out.flush();
                bytes += line.length() + 1;
                hasFailed = false;
            } catch (IOException e) {
                hasFailed = true; // the broker counts what is thrown, and shows the last of it
                throw new UncheckedIOException(e);
            }
        }

        boolean hasFailed() {
            return hasFailed;
        }

        void close() throws IOException {
            out.close();
        }
    }
}
