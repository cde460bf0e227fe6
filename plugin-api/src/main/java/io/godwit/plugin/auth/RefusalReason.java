package io.godwit.plugin.auth;

/**
 * Why a client is refused; decides the reason code of the CONNACK (MQTT 5.0, 3.2.2.2) and the return code before 5.0.
 */
public enum RefusalReason {
    /** Unknown user, wrong password, wrong proof: 0x86, return code 4. */
    BAD_CREDENTIALS,
    /** Known, but not allowed to connect: 0x87, return code 5. */
    NOT_AUTHORIZED,
    /** Banned for a time: 0x8A, return code 5. */
    BANNED,
    /** Too many authentications are under way; it may try again: 0x89, return code 3. */
    BUSY,
    /** A resource that the check needs does not work; the client may try again: 0x88, return code 3. */
    UNAVAILABLE;

    /** Whether the client's credentials or rights are the reason. */
    public boolean isClientsFault() {
        return this == BAD_CREDENTIALS || this == NOT_AUTHORIZED;
    }
}
