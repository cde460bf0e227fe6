package io.godwit.it.conformance;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.ClassTemplate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;

/** Its tests run once over each {@link Transport} of this run, all against one broker of default settings. */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ClassTemplate
@Tag("conformance")
@ExtendWith(SharedBroker.class)
@interface OverEachTransport {
    /**
     * Whether they wait for seconds to pass, and so have transports of their own: what is in time must not depend on
     * TLS handshakes on a busy machine.
     */
    boolean isTimed() default false;
}
