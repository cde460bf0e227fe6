package io.godwit.api.contract;

import java.util.List;

/** A request is not as the document says. Without a stack trace: clients can have as many as they like. */
public final class InvalidRequestException extends Exception {
    private final transient List<FieldError> errors;

    public InvalidRequestException(List<FieldError> errors) {
        super("the request is not as the document says: " + errors, null, false, false);
        this.errors = List.copyOf(errors);
    }

    public List<FieldError> errors() {
        return errors;
    }
}
