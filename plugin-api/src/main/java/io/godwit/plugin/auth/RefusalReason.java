package io.godwit.plugin.auth;

/**
 * Why a client is not let in; decides the reason code of the CONNACK (MQTT 5.0, 3.2.2.2) and the return code before
 * 5.0.
 */
public enum RefusalReason {
    /** Unknown user, wrong password, wrong proof: 0x86, return code 4. */
    BAD_CREDENTIALS,
    /** Known, but not allowed to connect: 0x87, return code 5. */
    NOT_AUTHORIZED,
    /** Shut out for the time being: 0x8A, return code 5. */
    BANNED,
    /** Too many authentications are under way; it may try again: 0x89, return code 3. */
    BUSY,
    /** What the check needs is out of order; it may try again: 0x88, return code 3. */
    UNAVAILABLE;

    /** Whether it is for what the client said of itself. */
    public boolean isClientsFault() {
        return this == BAD_CREDENTIALS || this == NOT_AUTHORIZED;
    }
}
