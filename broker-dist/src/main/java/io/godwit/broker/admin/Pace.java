package io.godwit.broker.admin;

import io.godwit.broker.admin.terminal.AdminException;

/** How work that looks again and again waits between two looks. */
interface Pace {
    /** @throws AdminException when the work is to end instead */
    void pause(long millis) throws AdminException;
}
