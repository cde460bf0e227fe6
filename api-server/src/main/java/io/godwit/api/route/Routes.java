package io.godwit.api.route;

import java.util.LinkedHashMap;
import java.util.Map;

/** Handlers by operation id. Filled at start, then only read. */
public final class Routes {
    private final Map<String, Handler> handlers = new LinkedHashMap<>();

    public void add(String operationId, Handler handler) {
        if (handlers.put(operationId, handler) != null) {
            throw new IllegalArgumentException("two handlers for " + operationId);
        }
    }

    public Map<String, Handler> handlers() {
        return handlers;
    }
}
