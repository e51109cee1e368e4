package io.muster.local;

import java.util.Map;

/** Where the broker and the services run: in this JVM, or each in a process of its own. */
sealed interface ServiceHost extends AutoCloseable permits OneJvm, OwnProcesses {

    void startBroker();

    void start(ServiceName service, Map<String, String> settings);

    /** Stops the services in the opposite order of their start, then the broker. */
    @Override
    void close();
}
