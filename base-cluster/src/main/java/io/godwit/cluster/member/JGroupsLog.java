package io.godwit.cluster.member;

import org.jgroups.logging.CustomLogFactory;
import org.jgroups.logging.Log;
import org.jgroups.logging.Slf4jLogImpl;

/**
 * The log of JGroups, one level lower. JGroups logs ordinary failures of nodes as errors, and the membership reports
 * its members itself.
 */
final class JGroupsLog extends Slf4jLogImpl {
    static final CustomLogFactory FACTORY = new CustomLogFactory() {
        @Override
        public Log getLog(Class<?> type) {
            return new JGroupsLog(type.getName());
        }

        @Override
        public Log getLog(String category) {
            return new JGroupsLog(category);
        }
    };

    private JGroupsLog(String category) {
        super(category);
    }

    @Override
    public boolean isFatalEnabled() {
        return super.isErrorEnabled();
    }

    @Override
    public boolean isErrorEnabled() {
        return super.isWarnEnabled();
    }

    @Override
    public boolean isWarnEnabled() {
        return super.isInfoEnabled();
    }

    @Override
    public boolean isInfoEnabled() {
        return super.isDebugEnabled();
    }

    @Override
    public void error(String message) {
        super.warn(message);
    }

    @Override
    public void error(String format, Object... arguments) {
        super.warn(format, arguments);
    }

    @Override
    public void error(String message, Throwable thrown) {
        super.warn(message, thrown);
    }

    @Override
    public void warn(String message) {
        super.info(message);
    }

    @Override
    public void warn(String format, Object... arguments) {
        super.info(format, arguments);
    }

    @Override
    public void warn(String message, Throwable thrown) {
        super.info("%s: %s", message, thrown);
    }

    @Override
    public void info(String message) {
        super.debug(message);
    }

    @Override
    public void info(String format, Object... arguments) {
        super.debug(format, arguments);
    }
}
