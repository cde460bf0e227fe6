package io.godwit.api.port.access;

import java.io.IOException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Storage of the audit log. {@link #write} is called by one thread, which it may block; the other methods by any
 * thread, and they return at once.
 */
public interface AuditSink {
    /** The logger that writes the records. */
    String LOGGER = "io.godwit.audit";

    /**
     * Writes a record. When it fails, the same record is written again later, so it may appear twice.
     *
     * @param record a line without its end
     * @throws IOException when it is not written, such as on a full disk
     */
    void write(String record) throws IOException;

    /** A change was refused because its record could not be written. */
    void refused();

    /**
     * Records were dropped: those of refused requests while there was no place, or all that waited when the node
     * stopped.
     */
    void lost(int records);

    /** Writes through SLF4J, which does not report full disks; counts nothing. */
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
