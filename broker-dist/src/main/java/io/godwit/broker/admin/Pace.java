package io.godwit.broker.admin;

import io.godwit.broker.admin.terminal.AdminException;

/** How work that polls waits between two looks. */
interface Pace {
    /** @throws AdminException to end the work instead */
    void pause(long millis) throws AdminException;
}
