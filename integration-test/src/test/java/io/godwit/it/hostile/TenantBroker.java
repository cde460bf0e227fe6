package io.godwit.it.hostile;

import io.godwit.it.broker.BrokerProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/** A packaged broker of several tenants: the user name of a client begins with the name of its tenant. */
final class TenantBroker {
    private TenantBroker() {}

    /** @param tenants the content of the file of tenants */
    static BrokerProcess with(Path directory, String tenants) throws IOException {
        Files.writeString(directory.resolve("tenants.yml"), tenants);
        return new BrokerProcess(directory)
                .longLived()
                .setting("tenantConfig", "{sources: user-name, file: tenants.yml}")
                .setting("authConfig", "{sessionsBelongToUsers: false}");
    }

    /** Returns when clients can connect. */
    static void start(BrokerProcess broker) throws Exception {
        broker.launch();
        broker.awaitReady(Duration.ofMinutes(4));
    }
}
