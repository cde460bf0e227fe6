package io.godwit.it.cluster;

import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.io.TempDir;

/** A class of tests that starts the brokers, before its tests; they end after them. */
public abstract class ClusterFixture extends ClusterClients {
    @TempDir
    protected static Path directory;

    @AfterAll
    protected static void end() throws Exception {
        cluster.close();
    }
}
