package io.godwit.broker.admin.backup;

import io.godwit.api.port.OperationException;
import io.godwit.api.port.cluster.StoreAdmin;
import io.godwit.broker.admin.action.Pauses;
import io.godwit.broker.admin.rpc.AdminClient;
import io.godwit.broker.admin.terminal.AdminException;
import io.godwit.broker.admin.terminal.AdminException.Kind;
import io.grpc.Context;
import io.grpc.Context.CancellableContext;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The backups requested over the API: two at a time, since each keeps copies of ranges on the disk of some node. A slow
 * reader slows the sender down. Any thread.
 */
public final class Backups implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Backups.class);
    /** The name that stands for all stores. */
    public static final String ALL = "all";

    static final int MAX_BACKUPS = 2;

    private final AdminClient client;
    /** A concurrent set, since backups end on any thread. Adding takes the monitor, so that the bound holds. */
    private final Set<One> open = ConcurrentHashMap.newKeySet();

    public Backups(AdminClient client) {
        this.client = client;
    }

    public StoreAdmin.Backup open(String store) {
        One one = new One(store);
        synchronized (open) {
            if (open.size() >= MAX_BACKUPS) {
                throw new OperationException(OperationException.Kind.BUSY, MAX_BACKUPS + " backups are made already");
            }
            open.add(one);
        }
        return one;
    }

    /** One backup. Cancelling its context ends its calls, even those that wait. */
    private final class One implements StoreAdmin.Backup {
        private final String store;
        private final CancellableContext calls = Context.ROOT.withCancellation();

        One(String store) {
            this.store = store;
        }

        @Override
        public void writeTo(OutputStream out) throws IOException {
            LOG.info("operator backs up store={}", store);
            Context before = calls.attach();
            try (BackupTarget.TarStream target = new BackupTarget.TarStream(out)) {
                for (BackupManifest manifest : take(target)) {
                    LOG.info(
                            "backup ended store={} ranges={} bytes={}",
                            manifest.store(),
                            manifest.ranges().size(),
                            manifest.bytes());
                }
            } catch (AdminException e) {
                LOG.warn("backup not finished store={} cause={}", store, e.getMessage());
                throw new IOException(e.getMessage(), e);
            } catch (IOException e) {
                LOG.warn("backup not finished store={} cause={}", store, e.toString());
                throw e;
            } finally {
                calls.detach(before);
                close();
            }
        }

        private Collection<BackupManifest> take(BackupTarget.TarStream target) throws AdminException, IOException {
            if (!store.equals(ALL)) {
                return List.of(new Backup(client, store, target, this::pause).take());
            }
            Map<String, BackupManifest> manifests =
                    Backup.takeAll(client, client.nodes().stores(), target::in);
            target.end();
            return manifests.values();
        }

        private void pause(long millis) throws AdminException {
            if (calls.isCancelled()) {
                throw new AdminException(Kind.FAILED, "whoever asked for it has gone, or the node stops");
            }
            Pauses.sleep(millis);
        }

        @Override
        public void close() {
            calls.cancel(null);
            open.remove(this);
        }
    }

    @Override
    public void close() {
        open.forEach(One::close);
    }
}
