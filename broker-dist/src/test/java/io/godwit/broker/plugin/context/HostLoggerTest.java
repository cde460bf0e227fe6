package io.godwit.broker.plugin.context;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.lang.System.Logger.Level;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class HostLoggerTest {
    /** For a message without parameters the JDK passes null. */
    @Test
    void messagesWithAndWithoutParametersAreWritten() {
        ListAppender<ILoggingEvent> written = new ListAppender<>();
        written.start();
        ((Logger) LoggerFactory.getLogger("plugin.test")).addAppender(written);
        System.Logger logger = new HostLogger("plugin.test");
        logger.log(Level.WARNING, "plain {0}");
        logger.log(Level.WARNING, "with {0}", "one");
        logger.log(Level.ERROR, "thrown", new IllegalStateException());
        assertThat(written.list)
                .extracting(ILoggingEvent::getFormattedMessage)
                .containsExactly("plain {0}", "with one", "thrown");
    }
}
