package io.godwit.broker.admin.action;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.broker.admin.Admin;
import io.godwit.broker.admin.AdminFixture;
import io.godwit.broker.admin.rpc.AdminClient;
import io.godwit.cluster.rpc.LocalAccess;
import io.godwit.cluster.rpc.RpcConnection;
import io.godwit.kv.balance.BalancerStatus;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Balancers that rest for a work, over RPC, on a node in memory. */
class RestingBalancersTest {
    @TempDir
    private Path data;

    @Test
    void theRestIsAskedForAgainWhileTheWorkGoesOn() throws Exception {
        AtomicLong now = new AtomicLong(Long.MAX_VALUE - 5); // the clock may pass over its end
        AdminFixture fixture = new AdminFixture(data);
        try (RpcConnection connection = RpcConnection.local(LocalAccess.read(data.resolve(Admin.ACCESS_FILE)));
                AdminClient client = new AdminClient(connection, "this node", Duration.ofSeconds(30))) {
            RestingBalancers resting = new RestingBalancers(client, "inbox", false, now::get);
            resting.begin();
            assertThat(fixture.node.inbox.balance().list().join()).allMatch(BalancerStatus::isResting);
            fixture.node
                    .inbox
                    .balance()
                    .list()
                    .join()
                    .forEach(each ->
                            fixture.node.inbox.balance().unrest(each.name()).join()); // its time was over

            now.addAndGet(Duration.ofSeconds(59).toNanos());
            resting.goOn();
            assertThat(fixture.node.inbox.balance().list().join()).noneMatch(BalancerStatus::isResting);
            now.addAndGet(Duration.ofSeconds(1).toNanos());
            resting.goOn();
            assertThat(fixture.node.inbox.balance().list().join()).allMatch(BalancerStatus::isResting);

            resting.close();
            now.addAndGet(Duration.ofMinutes(2).toNanos());
            resting.goOn();
            assertThat(fixture.node.inbox.balance().list().join()).noneMatch(BalancerStatus::isResting);
        } finally {
            fixture.close();
        }
    }
}
