// Another DDS implementation: hears messages on loopback, writes each anew and sends it back, a Twist also doubled.
// The only argument is the domain. It ends when its standard input does.
#include "messagesPubSubTypes.h"

#include <fastdds/dds/domain/DomainParticipant.hpp>
#include <fastdds/dds/domain/DomainParticipantFactory.hpp>
#include <fastdds/dds/publisher/DataWriter.hpp>
#include <fastdds/dds/publisher/Publisher.hpp>
#include <fastdds/dds/subscriber/DataReader.hpp>
#include <fastdds/dds/subscriber/DataReaderListener.hpp>
#include <fastdds/dds/subscriber/SampleInfo.hpp>
#include <fastdds/dds/subscriber/Subscriber.hpp>
#include <fastdds/rtps/transport/UDPv4TransportDescriptor.h>

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace fast = eprosima::fastdds::dds;
using geometry_msgs::msg::dds_::Twist_;
using geometry_msgs::msg::dds_::Twist_PubSubType;
using sensor_msgs::msg::dds_::Image_;
using sensor_msgs::msg::dds_::Image_PubSubType;
using sensor_msgs::msg::dds_::JointState_;
using sensor_msgs::msg::dds_::JointState_PubSubType;

template <typename Message>
struct Answering : fast::DataReaderListener {
    std::vector<std::pair<fast::DataWriter*, std::function<void(Message&)>>> answers;

    void on_data_available(fast::DataReader* reader) override {
        Message heard;
        fast::SampleInfo info;
        while (reader->take_next_sample(&heard, &info) == ReturnCode_t::RETCODE_OK) {
            if (!info.valid_data) continue;
            for (auto& [writer, change] : answers) {
                Message answer = heard;
                change(answer);
                writer->write(&answer);
            }
        }
    }
};

fast::DomainParticipant* participant_of(int domain) {
    auto qos = fast::PARTICIPANT_QOS_DEFAULT;
    auto udp = std::make_shared<eprosima::fastdds::rtps::UDPv4TransportDescriptor>();
    udp->interfaceWhiteList.push_back("127.0.0.1");
    qos.transport().use_builtin_transports = false;
    qos.transport().user_transports.push_back(udp);
    eprosima::fastrtps::rtps::Locator_t peer;
    eprosima::fastrtps::rtps::IPLocator::setIPv4(peer, 127, 0, 0, 1);
    qos.wire_protocol().builtin.initialPeersList.push_back(peer);
    return fast::DomainParticipantFactory::get_instance()->create_participant(domain, qos);
}

fast::DataWriter* writer_of(fast::DomainParticipant* participant, const std::string& topic, const std::string& type) {
    auto qos = fast::DATAWRITER_QOS_DEFAULT;
    qos.durability().kind = fast::VOLATILE_DURABILITY_QOS;
    qos.endpoint().history_memory_policy = eprosima::fastrtps::rtps::PREALLOCATED_WITH_REALLOC_MEMORY_MODE;
    auto named = participant->create_topic(topic, type, fast::TOPIC_QOS_DEFAULT);
    return participant->create_publisher(fast::PUBLISHER_QOS_DEFAULT)->create_datawriter(named, qos);
}

// change, ending: of a second answer, which goes to the topic with that ending.
template <typename Message, typename Type>
void answer_on(fast::DomainParticipant* participant, const std::string& topic,
               std::function<void(Message&)> change = nullptr, const std::string& ending = "") {
    fast::TypeSupport type(new Type());
    type.register_type(participant);
    auto* answering = new Answering<Message>();
    answering->answers.emplace_back(writer_of(participant, topic + "_again", type.get_type_name()), [](Message&) {});
    if (change) answering->answers.emplace_back(writer_of(participant, topic + ending, type.get_type_name()), change);
    auto qos = fast::DATAREADER_QOS_DEFAULT;
    qos.reliability().kind = fast::RELIABLE_RELIABILITY_QOS;
    qos.endpoint().history_memory_policy = eprosima::fastrtps::rtps::PREALLOCATED_WITH_REALLOC_MEMORY_MODE;
    auto heard = participant->create_topic(topic, type.get_type_name(), fast::TOPIC_QOS_DEFAULT);
    participant->create_subscriber(fast::SUBSCRIBER_QOS_DEFAULT)->create_datareader(heard, qos, answering);
}

int main(int, char** arguments) {
    auto* participant = participant_of(std::atoi(arguments[1]));
    answer_on<Twist_, Twist_PubSubType>(participant, "rt/twist", [](Twist_& twist) {
        twist.linear().x(2 * twist.linear().x());
        twist.angular().z(2 * twist.angular().z());
    }, "_doubled");
    answer_on<JointState_, JointState_PubSubType>(participant, "rt/joint_states");
    answer_on<Image_, Image_PubSubType>(participant, "rt/image");
    while (std::getchar() != EOF) {
    }
    std::_Exit(0);
}
