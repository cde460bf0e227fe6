package io.godwit.broker.admin.action;

import io.godwit.broker.admin.terminal.AdminException;
import io.godwit.broker.admin.terminal.AdminException.Kind;

/** How work that polls waits between two looks. */
public interface Pauses {
    /** @throws AdminException to end the work instead */
    void pause(long millis) throws AdminException;

    /** Sleeps that long. */
    static void sleep(long millis) throws AdminException {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AdminException(Kind.FAILED, "interrupted", e);
        }
    }
}
