package io.godwit.api.contract;

import java.util.List;

/** A request does not match the document. Without a stack trace: clients can cause any number of these. */
public final class InvalidRequestException extends Exception {
    private final transient List<FieldError> errors;

    public InvalidRequestException(List<FieldError> errors) {
        super("the request does not match openapi.yaml: " + errors, null, false, false);
        this.errors = List.copyOf(errors);
    }

    public List<FieldError> errors() {
        return errors;
    }
}
