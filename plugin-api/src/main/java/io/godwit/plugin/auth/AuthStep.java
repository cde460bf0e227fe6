package io.godwit.plugin.auth;

/** The answer to one step of an {@link AuthExchange}: another step is needed, or the {@link ConnectResult}. */
public sealed interface AuthStep permits AuthStep.Challenge, ConnectResult {

    /**
     * Asks the client for more data, by an AUTH with "continue authentication".
     *
     * @param data its Authentication Data, left out when empty; handed over: the caller must not modify it any more
     */
    @SuppressWarnings("ArrayRecordComponent") // shared by contract, compared nowhere
    record Challenge(byte[] data) implements AuthStep {
        /** Leaves out the data. */
        @Override
        public String toString() {
            return "Challenge[bytes=" + data.length + "]";
        }
    }
}
