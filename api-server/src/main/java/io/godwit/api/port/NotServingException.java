package io.godwit.api.port;

/** The node cannot answer because it starts or stops. The message says which, for the caller of the API. */
public final class NotServingException extends RuntimeException {
    /** @param why a sentence, such as "the node starts" */
    public NotServingException(String why) {
        super(why, null, false, false);
    }
}
