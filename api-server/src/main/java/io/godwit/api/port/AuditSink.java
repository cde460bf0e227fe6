package io.godwit.api.port;

import java.io.IOException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where the records of changes are kept. {@link #write} is called by one thread, which it may block; the others by any,
 * and they return at once.
 */
public interface AuditSink {
    /** The logger that records are written by. */
    String LOGGER = "io.godwit.audit";

    /**
     * Keeps a record. When it fails, the same one is written again later, so it may be there twice.
     *
     * @param record a line without its end
     * @throws IOException when it is not kept, such as on a full disk
     */
    void write(String record) throws IOException;

    /** A change was not made, since no record of it could be kept. */
    void refused();

    /** Records are given up: of requests that were refused while there was no place, or since the node stops. */
    void lost(int records);

    /** By SLF4J, which does not tell of disks that are full; nothing is counted. */
    static AuditSink ofLogger() {
        Logger log = LoggerFactory.getLogger(LOGGER);
        return new AuditSink() {
            @Override
            public void write(String record) {
                log.info("{}", record);
            }

            @Override
            public void refused() {}

            @Override
            public void lost(int records) {}
        };
    }
}
